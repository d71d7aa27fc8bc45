"""Many independence tests at once: which sets to count, and two kernels that count them."""
