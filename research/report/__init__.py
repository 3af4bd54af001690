"""Results of many runs, put beside the paper's: tables, figures and one page."""
