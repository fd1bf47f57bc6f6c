// The page's script, which the page does without as well. Inputs work the answer out anew (`live.ts`, as `egressAnswer`).
// A tip in place of the browser's slow one follows pointer, finger and arrow keys.
(() => {
  const form = document.getElementById("needs");
  const data = egressAnswer.dataOf(document.getElementById("data").textContent);
  const fields = () => form.querySelectorAll("input, select");
  const isShown = (id) => !document.getElementById(id).closest("details:not([open])");
  const update = () => {
    const inputs = {};
    for (const { name, type, checked, value } of fields())
      inputs[name] = type === "checkbox" ? checked : value;
    const { parts, fragment, problem, wrong } = egressAnswer.moved(data, inputs, isShown);
    for (const field of fields()) field.setAttribute("aria-invalid", String(wrong.includes(field.name)));
    document.body.classList.toggle("stale", wrong.length > 0);
    for (const [id, html] of Object.entries(parts)) {
      document.getElementById(id).innerHTML = html;
      readTips(document.getElementById(id));
    }
    document.getElementById("needs-problem").textContent = problem;
    if (fragment !== null)
      history.replaceState(null, "", fragment ? `#${fragment}` : location.pathname + location.search);
  };
  const fromAddress = () => {
    const inputs = egressAnswer.inputsOf(data, location.hash);
    for (const field of fields()) {
      if (field.type === "checkbox") field.checked = inputs[field.name];
      else field.value = inputs[field.name];
    }
    const fold = form.querySelector("details");
    fold.open = [...fold.querySelectorAll("input")].some(({ name }) => location.hash.includes(`${name}=`));
    const problem = egressAnswer.problemOf(data, location.hash, location.search);
    update();
    if (problem) document.getElementById("needs-problem").textContent = problem;
  };
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "status");
  document.body.append(tip);
  let marked = null;
  const words = new WeakMap();
  const readTips = (place) => {
    for (const title of place.querySelectorAll("svg :not(svg) > title")) {
      words.set(title.parentNode, title.textContent);
      title.parentNode.classList.add("mark");
      title.remove();
    }
    for (const picture of place.querySelectorAll("svg:has(.mark)")) picture.tabIndex = 0;
  };
  readTips(document);
  const hide = () => {
    tip.hidden = true;
    marked?.classList.remove("mark-on");
    marked = null;
  };
  const show = (mark) => {
    hide();
    marked = mark;
    mark.classList.add("mark-on");
    tip.textContent = words.get(mark);
    tip.hidden = false;
    const box = mark.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left + box.width / 2), innerWidth - tip.offsetWidth - 8);
    const above = box.top - tip.offsetHeight - 8;
    tip.style.left = left + "px";
    tip.style.top = (above > 0 ? above : box.bottom + 8) + "px";
  };
  const markOf = (event) => event.target.closest?.(".mark");
  addEventListener("pointerover", (event) => {
    const mark = markOf(event);
    if (mark) show(mark);
    else hide();
  });
  addEventListener("click", (event) => {
    const mark = markOf(event);
    if (mark) show(mark);
  });
  addEventListener("scroll", hide, { passive: true });
  addEventListener("focusout", hide);
  addEventListener("keydown", (event) => {
    const picture = event.target.closest?.("svg[tabindex]");
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") hide();
    if (!picture || !step) return;
    event.preventDefault();
    const marks = [...picture.querySelectorAll(".mark")].filter((mark) => mark.getClientRects().length > 0);
    const at = marks.indexOf(marked);
    const next =
      marks[at === -1 ? (step > 0 ? 0 : marks.length - 1) : (at + step + marks.length) % marks.length];
    if (next) show(next);
  });
  // A table that may have hundreds of rows: sorted by its heads, filtered by words that a row must all have.
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const filter = document.createElement("label");
    filter.className = "filter";
    const words = Object.assign(document.createElement("input"), { type: "search", autocomplete: "off" });
    const shown = document.createElement("output");
    filter.append("Rows with all of these words", words, shown);
    table.parentNode.before(filter);
    const choose = () => {
      const asked = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const [at, row] of rows.entries()) {
        row.hidden = !asked.every((word) => texts[at].includes(word));
        count += row.hidden ? 0 : 1;
      }
      shown.textContent = `${count} of ${rows.length}`;
    };
    words.addEventListener("input", choose);
    choose();
    const orderOf = ({ dataset, textContent }) => ("value" in dataset ? Number(dataset.value) : textContent);
    // What is missing comes last in both directions.
    const rank = (cell) => (cell.classList.contains("missing") || cell.classList.contains("failed") ? 1 : 0);
    for (const [at, head] of [...table.tHead.rows[0].cells].entries()) {
      const button = document.createElement("button");
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const sign = head.ariaSort === "ascending" ? -1 : 1;
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.ariaSort = sign === 1 ? "ascending" : "descending";
        const order = (one, other) => {
          const [a, b] = [orderOf(one.cells[at]), orderOf(other.cells[at])];
          const apart =
            typeof a === "number" && typeof b === "number"
              ? a - b
              : String(a).localeCompare(b, "en", { numeric: true });
          return rank(one.cells[at]) - rank(other.cells[at]) || sign * apart;
        };
        body.append(...rows.toSorted(order));
      });
    }
  }
  if (form) {
    form.hidden = false;
    form.addEventListener("input", update);
    // What is folded away is made where the reader opens it.
    addEventListener(
      "toggle",
      ({ target }) => {
        if (target.open && target.querySelector('[id^="others-"], [id^="sizing-"]')) update();
      },
      true,
    );
    form.addEventListener("submit", (event) => event.preventDefault());
    addEventListener("hashchange", () => {
      if (!location.hash || location.hash.includes("=")) fromAddress();
    });
    if (/=/.test(location.hash + location.search)) fromAddress();
    // The address is the inputs' own: links to sections scroll and leave it.
    for (const link of document.querySelectorAll('a[href^="#"]')) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        document.querySelector(link.getAttribute("href")).scrollIntoView();
      });
    }
  }
})();
