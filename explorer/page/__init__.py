"""The page itself: the only package that knows Streamlit."""
