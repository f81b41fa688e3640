// Elements and tables.
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) key === "class" ? made.className = value : made.setAttribute(key, value);
  for (const child of children) if (child !== null && child !== undefined) made.append(child);
  return made;
}

// A sentence of a study, in which `code` is written as such.
const prose = written => element("span", {}, ...written.split("`").map((part, i) => i % 2 ? element("code", {}, part) : part));

// A name that may be broken behind its underscores.
const breakable = name => name.split("_").flatMap((part, i) => i ? [element("wbr"), part] : [part]).map((part, i, all) => typeof part === "string" && i + 1 < all.length ? part + "_" : part);

function choice(label, options, chosen, change) {
  const box = element("select", { "aria-label": label }, ...options.map(([value, name]) => { const one = element("option", { value }, name); one.selected = value === chosen; return one; }));
  box.addEventListener("change", () => change(box.value));
  return element("label", {}, element("span", { class: "soft" }, label), box);
}

// `header` is a list of cells, or a list of such lists; a cell is a text, or { text or nodes, class, title, id, span }.
function table(header, rows, leading = 1) {
  const cell = (content, i, tag) => {
    const plain = content === null || typeof content !== "object";
    const parts = plain ? [content === undefined ? "" : String(content)] : content.nodes || [content.text];
    const made = element(tag, { class: (i < leading ? "name " : "") + (plain ? "" : content.class || "") }, ...parts);
    if (!plain && content.title) made.title = content.title;
    if (!plain && content.id) made.id = content.id;
    if (!plain && content.span > 1) made.colSpan = content.span;
    return made;
  };
  const heads = Array.isArray(header[0]) ? header : [header];
  return element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, ...heads.map(head => element("tr", {}, ...head.map((content, i) => cell(content, i, "th"))))),
    element("tbody", {}, ...rows.map(row => element("tr", {}, ...row.map((content, i) => cell(content, i, "td")))))));
}
