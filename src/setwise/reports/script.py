"""The script of pages with long tables: a search field above each, and columns that sort when their head is clicked.

It reads and moves what is in the page, and never makes elements from text: hostile names stay text.
"""

from __future__ import annotations

import base64
import hashlib

SCRIPT = """
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0], rows = [...body.rows];
  if (rows.length <= 10) continue;
  const field = document.createElement("input");
  field.className = "q"; field.type = "search"; field.placeholder = "search " + rows.length + " rows";
  field.addEventListener("input", () => {
    const wanted = field.value.toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  table.parentElement.insertBefore(field, table);
  [...table.tHead.rows[0].cells].forEach((head, place) => {
    let up = false;
    head.classList.add("s"); head.title = "sort";
    head.addEventListener("click", () => {
      up = !up;
      const value = row => row.cells[place].textContent;
      const number = text => parseFloat(text.replace(/,/g, ""));
      const plain = rows.every(row => !value(row) || !isNaN(number(value(row))));
      const order = (a, b) => plain
        ? (number(value(a)) || 0) - (number(value(b)) || 0) : value(a).localeCompare(value(b));
      body.append(...rows.sort((a, b) => up ? order(a, b) : order(b, a)));
    });
  });
}
"""
SCRIPT_DIGEST = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
"""What the page\'s policy allows: this script and no other."""
