"""What the rules cannot accept becomes an alert with its ruling."""
