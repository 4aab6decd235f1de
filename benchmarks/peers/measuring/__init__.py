"""What every scenario needs: programs pinned to a core, load, rounds, and what becomes of the figures."""
