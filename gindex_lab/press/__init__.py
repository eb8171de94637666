"""What makes the reports: notebooks' helpers, claims, reproduction, the command line."""
