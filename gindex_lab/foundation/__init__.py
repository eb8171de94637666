"""What everything stands on: errors, checks, responses, files in and out, journals, kernels, many cores."""
