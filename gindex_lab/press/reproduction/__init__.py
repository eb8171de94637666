"""`gindex-lab reproduce`: notebooks, reports and the ledger of claims."""
