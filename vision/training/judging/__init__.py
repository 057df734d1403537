"""How well the nets do, as tables of the model card."""
