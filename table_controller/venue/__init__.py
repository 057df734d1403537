"""Many tables, one hall: journals go to the hall, the hall's orders come back."""
