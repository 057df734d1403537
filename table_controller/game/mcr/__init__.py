"""The hand of Chinese official rules, from the raised wall to the settlement."""
