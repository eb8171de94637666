"""How sure we are: intervals, paired differences, tie groups, and their measured coverage."""
