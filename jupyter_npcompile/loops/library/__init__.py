"""Functions of NumPy and Python in C++, as native loops call them."""
