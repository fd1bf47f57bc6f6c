/**
 * The page's script, which it does without as well: a tip that follows pointer, finger and arrow keys, in place of
 * the browser's slow one. It reads the titles that stand in the pictures and writes text only.
 */
export const script = `
(() => {
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "status");
  document.body.append(tip);
  let marked = null;
  const words = new WeakMap();
  for (const title of document.querySelectorAll("svg :not(svg) > title")) {
    words.set(title.parentNode, title.textContent);
    title.parentNode.classList.add("mark");
    title.remove();
  }
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
  addEventListener("pointerover", (event) => { const mark = markOf(event); if (mark) show(mark); else hide(); });
  addEventListener("click", (event) => { const mark = markOf(event); if (mark) show(mark); });
  addEventListener("scroll", hide, { passive: true });
  for (const picture of document.querySelectorAll("svg:has(.mark)")) {
    picture.tabIndex = 0;
    picture.addEventListener("blur", hide);
    picture.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") hide();
      if (!step) return;
      event.preventDefault();
      const marks = [...picture.querySelectorAll(".mark")].filter((mark) => mark.getClientRects().length > 0);
      const at = marks.indexOf(marked);
      const next = marks[at === -1 ? (step > 0 ? 0 : marks.length - 1) : (at + step + marks.length) % marks.length];
      if (next) show(next);
    });
  }
})();
`;
