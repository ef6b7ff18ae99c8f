"""Mechanisms on one corpus at equal privacy: samples, contenders, cells, pages."""
