"""What the page remembers of one reader. Nothing outside touches Streamlit's own session state."""
