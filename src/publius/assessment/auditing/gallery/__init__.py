"""Published or common mechanisms whose guarantee fails, caught by the auditor."""

from publius.assessment.auditing.gallery.pages import (
    CASES,
    Case,
    index_page,
    page,
    utility_page,
    write_pages,
)

__all__ = ["CASES", "Case", "index_page", "page", "utility_page", "write_pages"]
