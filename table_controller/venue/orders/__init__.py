"""What the hall orders: taken once at the table, kept, carried out when nothing is in its way."""
