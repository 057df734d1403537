"""The ONNX files in use, each with its manifest and model card."""
