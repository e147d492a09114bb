// A click on a column head sorts by that column, another one in reverse. Empty cells stay last.
for (const head of document.querySelectorAll("th")) {
  head.querySelector("button").addEventListener("click", () => {
    const table = head.closest("table");
    const column = head.cellIndex;
    const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const numeric = head.hasAttribute("data-numeric");
    const turned = head.getAttribute("aria-sort") === (numeric ? "descending" : "ascending");
    const sign = numeric !== turned ? -1 : 1;
    const rows = [...table.tBodies[0].rows].sort((left, right) => {
      const [a, b] = [value(left), value(right)];
      if (a === "" || b === "") return (a === "") - (b === "");
      return sign * (numeric ? Number(a) - Number(b) : a.localeCompare(b));
    });
    table.tBodies[0].append(...rows);
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", sign < 0 ? "descending" : "ascending");
  });
}
