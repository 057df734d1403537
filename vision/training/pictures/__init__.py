"""Pictures of tiles: photographed, drawn, composed and rendered, with their truth."""
