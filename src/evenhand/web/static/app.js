// One script for all screens: it sends what was chosen, and shows the page that follows.
// What may be chosen stands in the page as data-method, data-path and data-body.
"use strict";

const $ = (id) => document.getElementById(id);
const revision = () => Number(document.body.dataset.revision);

// Whatever takes over half a second shows a bar: with a total where one is known.
let asking = 0;
function showWork(text, done, total, cancel) {
  $("work").hidden = false;
  if ($("work-text").dataset.said !== text) {
    $("work-text").dataset.said = text;
    $("work-text").replaceChildren(text, Object.assign(document.createElement("span"), {id: "work-left"}));
    $("work-left").setAttribute("aria-hidden", "true");
  }
  if (total) Object.assign($("work-bar"), {max: total, value: done});
  else $("work-bar").removeAttribute("value");
  $("work-cancel").hidden = !cancel;
  $("work-cancel").onclick = cancel;
}

// A change that is not answered at once: how long it takes is not known.
async function slowly(answer) {
  const begun = Date.now();
  ++asking;
  const timer = setInterval(() => {
    if (followed || Date.now() - begun < 500) return;
    showWork("Working on what was chosen", 0, 0, null);
    $("work-left").textContent = `, ${Math.round((Date.now() - begun) / 1000)} s so far`;
  }, 250);
  try {
    return await answer;
  } finally {
    clearInterval(timer);
    if (!--asking && !followed) $("work").hidden = true;
  }
}

// An answer of our server, or null if there is none: then the page waits for it to come back.
async function ask(address, options) {
  // A machine that sleeps refuses nothing, and does not answer either.
  const slow = setTimeout(() => { $("lost").hidden = false; }, 15000);
  try {
    const answer = await slowly(fetch(address, options));
    // Another server at this address does not know the token.
    if (answer.status !== 404) {
      $("lost").hidden = true;
      return answer;
    }
  } catch { /* nobody answers */ } finally {
    clearTimeout(slow);
  }
  lost();
  return null;
}

async function send(method, path, body) {
  const isFile = body instanceof Blob;
  const answer = await ask(path, {
    method,
    headers: {"content-type": isFile ? "application/octet-stream" : "application/json"},
    body: isFile ? body : JSON.stringify({revision: revision(), ...body}),
  });
  if (!answer) return null;
  try {
    const content = await answer.json();
    if (content.problems) {
      // Ours was stale, not refused: show what is there now beside the reason.
      if (answer.status === 409) renew(content.html);
      else complain(content.html);
      return null;
    }
    return content;
  } catch {
    lost();
    return null;
  }
}

function complain(html) {
  $("problems").replaceChildren(...parse(html).body.childNodes);
  $("problems").focus();
}

let waiting = 0;
function lost() {
  $("lost").hidden = false;
  clearTimeout(waiting);
  waiting = setTimeout(() => renew(), 1000);
}

const parse = (html) => new DOMParser().parseFromString(html, "text/html");

// What was filled into forms and not sent yet, and what was opened, by id. Both stay while the
// screen does, also over a page that lacks them because something has to be worked out first.
const drafts = new Map(), opened = new Map();
const stateOf = ({type}) => /checkbox|radio/.test(type) ? ["checked", "defaultChecked"] : ["value", "defaultValue"];
const original = (field) => field.options
  ? ([...field.options].find((one) => one.defaultSelected) || field.options[0])?.value
  : field[stateOf(field)[1]];
function note() {
  for (const field of document.querySelectorAll("form[data-path] :is(input, select)[id]:not([type=file])")) {
    const now = field[stateOf(field)[0]], before = original(field);
    if (now !== before) drafts.set(field.id, [now, before]);
    else drafts.delete(field.id);
  }
  for (const {id, open} of document.querySelectorAll("details[id]")) opened.set(id, open);
}

// Fields of a form that was sent are empty again, but for what was typed since.
function empty(fields, body) {
  for (const {id, name} of fields) {
    const field = id && $(id), now = stateOf(field || {})[0];
    if (field && field.tagName === "INPUT" && field[now] === body[name]) field[now] = original(field);
  }
}

// While a page takes the place of another the browser reports a change of a text that is still being
// typed, and none when that field is left: then we do.
let restored = null, replacing = false;

// What a page says when it changes. The place that is read out stays while pages come and go.
const news = () => [...document.querySelectorAll("#main [data-say]")].map((one) => one.textContent.trim()).join(" ");

// A press ends on the page on which it began, or the browser would see no click: a page that comes
// meanwhile waits until mouse and space bar are up, though not for ever.
const held = new Set();
const released = (what) => setTimeout(() => held.delete(what)); // the click comes first
document.addEventListener("pointerdown", () => held.add("pointer"), true);
for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => released("pointer"), true);
document.addEventListener("keydown", ({code}) => { if (code === "Space") held.add(code); }, true);
document.addEventListener("keyup", ({code}) => released(code), true);
window.addEventListener("blur", () => held.clear());
async function untilReleased() {
  for (let left = 100; held.size && left; --left) await new Promise((done) => setTimeout(done, 30));
}

// What has the focus again when something that was opened at it is closed.
let back = "";

// Fetch a page and put its parts in place of ours; focus and scroll stay where they were, and so
// does what was filled in. Only the queue calls it: no page is older than the one before.
async function show(address, {push = false, quiet = false} = {}) {
  const answer = await ask(address);
  const page = answer && parse(await answer.text());
  if (!page) return;
  await untilReleased();
  const active = document.activeElement, focused = active && active.id;
  const inside = active && active.closest("#chosen");
  restored = null;
  note();
  const told = news(), arrived = new Set([...document.querySelectorAll("[data-arrives]")].map((one) => one.id));
  if (page.body.dataset.screen !== document.body.dataset.screen || page.getElementById("table-name").textContent !== $("table-name").textContent) {
    drafts.clear();
    opened.clear();
  }
  const next = focused && page.getElementById(focused);
  // A field stays the same one, with what is typed and selected, unless the server has something newer.
  replacing = Boolean(next) && /text|search|number/.test(next.type) && next.type === active.type && next.defaultValue === active.defaultValue;
  for (const part of ["table-name", "steps", "history", "main", "foot"]) $(part).replaceChildren(...page.getElementById(part).childNodes);
  if (replacing) {
    for (const name of active.getAttributeNames()) if (!next.hasAttribute(name)) active.removeAttribute(name);
    for (const {name, value} of next.attributes) active.setAttribute(name, value);
    next.replaceWith(active);
    if (active.value !== active.defaultValue) restored = active;
  }
  const stays = replacing;
  replacing = false;
  const now = page.getElementById("now");
  if ($("now").textContent !== now.textContent) {
    $("now").className = now.className;
    $("now").replaceChildren(...now.childNodes);
  }
  if (news() !== told) $("said").textContent = news();
  for (const [id, [filled, was]] of drafts) {
    const field = $(id);
    if (field && original(field) === was) field[stateOf(field)[0]] = filled; // the server has nothing newer
  }
  // What was chosen and is not sent yet is chosen here, too: the next press starts from it.
  for (const [id, {value, checked}] of chosen) {
    const field = $(id);
    if (!field || field.multiple) continue;
    Object.assign(field, {value, checked});
    field.dispatchEvent(new Event("input", {bubbles: true}));
  }
  // What asks for something stays open; the rest is as it was left.
  for (const [id, open] of opened) if ($(id) && !("asks" in $(id).dataset)) $(id).open = open;
  Object.assign(document.body.dataset, page.body.dataset);
  if (!page.body.dataset.job) delete document.body.dataset.job;
  document.title = page.title;
  // Another screen begins at its top.
  if (push && new URL(address, location.href).pathname !== location.pathname) scrollTo(0, 0);
  if (push && new URL(address, location.href).href !== location.href) history.pushState(null, "", address);
  if (!quiet) $("problems").replaceChildren();
  const wanted = document.querySelector("#main [data-focus]"), left = push && back && $(back);
  // Whoever is in a text field that stays goes on typing.
  if (stays) active.focus({preventScroll: true});
  else if (left) left.focus({preventScroll: true});
  else if (wanted && (push || (inside && wanted.id === "reason"))) wanted.focus({preventScroll: true});
  else if (focused && $(focused)) $(focused).focus({preventScroll: true});
  else if (push) $("main").focus({preventScroll: true});
  if (push) back = "";
  // What was just made is seen, wherever on the page it stands.
  for (const one of document.querySelectorAll("[data-arrives]")) if (!arrived.has(one.id)) one.scrollIntoView({block: "nearest"});
  const place = push && $(new URL(address, location.href).hash.slice(1));
  if (place) place.scrollIntoView({block: "nearest"});
  arrive();
}

// A body with "$name" replaced by the value of that name, wherever it stands.
function filled(part, values) {
  if (typeof part === "string") return part[0] === "$" && part.slice(1) in values ? values[part.slice(1)] : part;
  if (Array.isArray(part)) return part.map((one) => filled(one, values));
  if (!part || typeof part !== "object") return part;
  return Object.fromEntries(Object.entries(part).map(([name, one]) => [name === "$put" ? values.put : name, filled(one, values)]));
}

// What a control sends: "$value" is what was chosen, "$points" that number of percentage points as
// an exact share, "$put" whether a box adds or removes. An option may have JSON in data-value.
function bodyOf(control) {
  const plain = (one) => one.dataset.value ? JSON.parse(one.dataset.value) : one.value;
  const value = control.type === "checkbox" ? control.checked : control.multiple
    ? [...control.selectedOptions].map(plain) : plain(control.selectedOptions?.[0] || control);
  // A reason that was written before a state was chosen goes with it.
  const beside = control.dataset.with && $(control.dataset.with).value.trim();
  const values = {value, points: `${Number(value) * 10}/1000`, put: value ? "add" : "remove"};
  return {...filled(JSON.parse(control.dataset.body || "{}"), values), ...(beside ? {[control.dataset.with]: beside} : {})};
}

// One thing after the other, changes and visits: what was pressed is sent as it was pressed, whatever
// page came meanwhile, and the page is left when all is sent.
let queue = Promise.resolve(), waits = 0;
function enqueue(step) {
  ++waits;
  queue = queue.then(step).catch((error) => {
    setTimeout(() => { throw error; }); // told in the console; what waits goes on
    return false;
  }).finally(() => { --waits; });
}

// A later value of the same control replaces one that still waits, but every press of a button
// counts.
const chosen = new Map();
function act(control, body) {
  const {id, tagName, value, checked} = control, choice = {value, checked};
  const isChoice = Boolean(id) && !body && tagName !== "BUTTON", sent = body || bodyOf(control);
  if (isChoice) chosen.set(id, choice);
  enqueue((done) => {
    if (isChoice && chosen.get(id) !== choice) return done;
    if (isChoice) chosen.delete(id);
    return perform(control, sent);
  });
}

// A form that was sent, or a file that was dropped, says all by itself: it is sent even where the
// page was renewed meanwhile. Sent twice by a double click, it counts once.
const sending = new Set();
function sendForm(form, body) {
  const key = form.dataset.path + JSON.stringify(body);
  if (sending.has(key)) return;
  sending.add(key);
  // As they are now: one that is being filled in moves to the form of the next page.
  const fields = [...form.elements || []];
  enqueue(() => perform(form, body, fields).finally(() => sending.delete(key)));
}

// Of several addresses that wait to be visited the last counts. After a refusal the page stays.
let visits = 0;
function visit(address, go) {
  const turn = ++visits;
  enqueue((done) => turn === visits && done !== false ? go(address) : done);
}
const showNext = (address) => visit(address, (one) => show(one, {push: true}));
const leaveFor = (address) => visit(address, (one) => location.assign(one));

// The present page anew, once all is sent; it may say why.
const renew = (why, said = "") => enqueue(async (done) => {
  await show(location.href, {quiet: Boolean(why)});
  if (why) complain(why);
  if (said) {
    const note = Object.assign(document.createElement("p"), {className: "page notice", textContent: said});
    $("main").prepend(note);
    $("said").textContent = said;
  }
  return done;
});

async function perform(control, body, fields = []) {
  const {method, path, then} = control.dataset, shown = revision();
  const content = await send(method, path, body);
  if (!content) return false;
  if (content.ended) {
    $("lost").textContent = content.said;
    $("lost").hidden = false;
    return false;
  }
  // What another tab changed meanwhile is not shown here yet.
  if (content.follows === shown) document.body.dataset.revision = content.revision;
  else if (content.job) await show(location.href);
  if (content.job && content.again) {
    // It needs what the job works out, and is asked for again then; not if that was cancelled.
    const state = await follow(content.job);
    return perform(control, {...body, waited: state !== "done"}, fields);
  }
  if (content.job) follow(content.job, then);
  else {
    empty(fields, body);
    await show(then || location.href, {push: Boolean(then)});
  }
  return true;
}

// Follow a job until it ends: progress, time left, cancel. Returns how it will have ended.
let followed = "", ending = null;
function follow(id, then) {
  if (followed === id) return ending;
  followed = id;
  let ended = null;
  ending = new Promise((done) => { ended = done; });
  const events = new EventSource(`api/jobs/${id}`);
  const stop = () => {
    $("work-text").dataset.said = "";
    $("work-cancel").hidden = true;
    send("DELETE", `api/jobs/${id}`, {});
  };
  // What is done within a moment shows no bar.
  let is_slow = false, bar = () => {};
  const timer = setTimeout(() => { is_slow = true; bar(); }, 300);
  const over = (state) => {
    clearTimeout(timer);
    events.close();
    ended(state);
    if (followed !== id) return; // another is followed by now
    followed = "";
    $("work").hidden = true;
  };
  events.onmessage = ({data}) => {
    const job = JSON.parse(data);
    if (job.state === "running") {
      const of = job.is_whole ? "" : " for this step";
      const left = (job.seconds_left || 0) < 1 ? "" : `, up to ${Math.ceil(job.seconds_left)} s left${of}`;
      bar = () => {
        showWork([job.title, job.step].filter(Boolean).join(": "), job.done, job.total, stop);
        $("work-left").textContent = left;
      };
      if (is_slow) bar();
      // A page may list the steps of its work: the present one is marked.
      document.querySelectorAll("[data-step]").forEach((one) => one.classList.toggle("now", one.dataset.step === job.step));
      return;
    }
    over(job.state);
    $("work-text").dataset.said = "";
    if (job.state === "cancelled") $("said").textContent = job.said;
    if (job.state !== "done") document.body.dataset.failed = location.href;
    if (job.state === "cancelled") renew(job.html, job.said);
    else if (job.state !== "done" || !then) renew(job.html);
    else enqueue(() => show(then, {push: true}));
  };
  events.onerror = () => {
    over("lost");
    lost();
  };
  return ending;
}

// A page may ask for work that it needs, once; a job under way is followed.
function arrive() {
  const {job, failed} = document.body.dataset;
  const needed = document.querySelector("[data-start]");
  if (job) follow(job);
  else if (needed && failed !== location.href) act(needed, JSON.parse(needed.dataset.body || "{}"));
  window.dispatchEvent(new Event("arrive"));
}

async function upload(file, use) {
  // The server would stop reading, which a browser takes for a lost connection.
  if (file.size > Number($("too-large").dataset.most)) {
    complain($("too-large").innerHTML);
    return;
  }
  const stored = await sendFile(`api/upload/${use.dataset.drop}?name=${encodeURIComponent(file.name)}`, file);
  if (stored) sendForm(use, {...JSON.parse(use.dataset.body || "{}"), path: stored.path, name: stored.name});
}

// A file on its way, with how much of it has arrived; it can be cancelled.
function sendFile(address, file) {
  const request = new XMLHttpRequest(), begun = Date.now();
  return new Promise((done) => {
    request.upload.onprogress = ({loaded, total}) => {
      if (Date.now() - begun > 300) showWork(`Copying ${file.name} into the app`, loaded, total, () => request.abort());
    };
    request.onloadend = () => {
      if (!followed) $("work").hidden = true;
      let content = null;
      try { content = JSON.parse(request.responseText); } catch { /* no answer */ }
      if (content?.problems) complain(content.html);
      else if (!request.status && !cancelled) lost();
      done(content && !content.problems ? content : null);
    };
    let cancelled = false;
    request.onabort = () => {
      cancelled = true;
      $("said").textContent = `${file.name} was not copied.`;
    };
    request.open("PUT", address);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.send(file);
  });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
    const address = new URL(link.href.baseVal || link.href, location.href).href;
    const leaves = !link.hasAttribute("download") && !link.getAttribute("href").startsWith("#");
    const picture = matchMedia("(max-width: 640px)").matches ? "narrow" : "wide";
    if (link.dataset.back) back = `${picture}-${link.dataset.back}`;
    if ("show" in link.dataset) showNext(address);
    else if (leaves && waits) leaveFor(address);
    else return;
    event.preventDefault();
    return;
  }
  const control = event.target.closest("button[data-path]");
  if (control) act(control);
  if (event.target.closest("[data-dismiss]")) $("problems").replaceChildren();
});

document.addEventListener("change", (event) => {
  const control = event.target;
  if (replacing) return;
  if (control === restored) restored = null;
  if (control.type === "file" && control.files.length) {
    upload(control.files[0], control.closest("[data-drop]"));
    control.value = ""; // the same file can be chosen again
  }
  else if (control.dataset.path) act(control);
  else if (control.form && "show" in control.form.dataset && control.tagName === "SELECT") control.form.requestSubmit();
});

const report = ({target}) => {
  if (target === restored && !replacing) target.dispatchEvent(new Event("change", {bubbles: true}));
};
document.addEventListener("focusout", report);
document.addEventListener("keydown", (event) => { if (event.key === "Enter") report(event); });

document.addEventListener("input", (event) => {
  const output = event.target.dataset.output && $(event.target.dataset.output);
  if (output) output.textContent = event.target.value + (event.target.dataset.unit || "");
});

document.addEventListener("submit", (event) => {
  const form = event.target, shows = "show" in form.dataset;
  if (!form.dataset.path && !shows && !waits) return;
  event.preventDefault();
  if (!form.dataset.path) {
    // A form that asks for another view: its fields become the query, empty ones are left out.
    const address = new URL(form.action);
    address.search = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    (shows ? showNext : leaveFor)(address.href);
    return;
  }
  const fields = {};
  for (const control of form.elements) {
    if (!control.name || (control.type === "radio" && !control.checked)) continue;
    fields[control.name] = control.type === "checkbox" ? control.checked : control.value.trim();
  }
  sendForm(form, {...filled(JSON.parse(form.dataset.body || "{}"), fields), ...fields});
});

// Files are dropped onto a place that takes them.
document.addEventListener("dragstart", (event) => {
  if (event.target.closest?.(".chooser")) event.preventDefault(); // its boxes have a way of their own
});
document.addEventListener("dragover", (event) => {
  const place = event.target.closest("[data-drop]");
  document.querySelectorAll(".over").forEach((one) => one.classList.toggle("over", one === place));
  if (place) {
    event.preventDefault();
    place.classList.add("over");
  }
});
document.addEventListener("drop", (event) => {
  const place = event.target.closest("[data-drop]");
  document.querySelectorAll(".over").forEach((one) => one.classList.remove("over"));
  if (!place) return;
  event.preventDefault();
  if (event.dataTransfer.files.length) upload(event.dataTransfer.files[0], place);
});

// A box that is dragged onto another draws an arrow to it, onto a column of time moves there.
// Buttons and Shift with an arrow key do the same.
let pulled = null;
const ask_for = (method, path, body, then = "") => enqueue(() => perform({dataset: {method, path, then}}, body));
const moveBox = (name, where) => ask_for("PUT", "api/tiers", {name, ...where});

function aim({clientX, clientY}) {
  const under = document.elementsFromPoint(clientX, clientY).map((one) => one.closest(".chooser .box, [data-move]"));
  return under.find((one) => one && one !== pulled.box) || null;
}

function letGo() {
  pulled?.line?.remove();
  document.querySelectorAll(".aim, .pulling").forEach((one) => one.classList.remove("aim", "pulling"));
  pulled = null;
}

document.addEventListener("pointerdown", (event) => {
  const box = event.target.closest?.(".chooser .box");
  if (box && event.button === 0 && event.pointerType !== "touch") pulled = {box, x: event.clientX, y: event.clientY};
});
document.addEventListener("pointermove", (event) => {
  if (!pulled) return;
  if (!pulled.box.isConnected) return letGo();
  const svg = pulled.box.ownerSVGElement;
  if (!pulled.line) {
    if (Math.hypot(event.clientX - pulled.x, event.clientY - pulled.y) < 8) return;
    pulled.line = svg.appendChild(document.createElementNS(svg.namespaceURI, "line"));
    pulled.line.setAttribute("class", "pull");
    svg.classList.add("pulling");
  }
  const at = ({x, y}) => new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());
  const from = at(pulled), to = at({x: event.clientX, y: event.clientY});
  for (const [name, value] of Object.entries({x1: from.x, y1: from.y, x2: to.x, y2: to.y})) pulled.line.setAttribute(name, value);
  const target = aim(event);
  document.querySelectorAll(".aim").forEach((one) => one.classList.toggle("aim", one === target));
  target?.classList.add("aim");
});
document.addEventListener("pointerup", (event) => {
  const {box, line} = pulled || {}, target = line && aim(event);
  letGo();
  if (!target) return;
  const name = box.dataset.box, other = target.dataset.box;
  if (!other) return moveBox(name, JSON.parse(target.dataset.move));
  const then = `graph?${new URLSearchParams({a: name, b: other})}`;
  if ($("keep-order")) return; // nothing is learned yet: there are no arrows
  ask_for("POST", "api/graph", {a: name, b: other, state: "to"}, then);
});
document.addEventListener("pointercancel", letGo);
document.addEventListener("keydown", (event) => {
  const box = event.target.closest?.(".chooser .box"), by = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1}[event.key];
  if (box && event.shiftKey && by) {
    event.preventDefault();
    moveBox(box.dataset.box, {by});
  } else if (event.key === "Escape") {
    letGo();
    $("close-chosen")?.click();
  }
});

// What was chosen in a picture stands at it: below, or above where there is more room.
function stand() {
  const at = $("chosen"), stage = $("stage");
  if (!at || !stage) return null;
  const shown = [...stage.querySelectorAll("svg")].find((one) => one.getClientRects().length);
  const picture = shown.classList.contains("graph-wide") ? "wide" : "narrow";
  const ends = [`${picture}-${at.dataset.at}`, ...JSON.parse(at.dataset.ends).map((one) => `${picture}-box-${one}`)];
  const places = ends.map($).filter(Boolean).map((one) => one.getBoundingClientRect());
  const frame = stage.getBoundingClientRect(), all = (part, pick) => pick(...places.map((one) => one[part]));
  const low = all("bottom", Math.max) - frame.top + 10, high = all("top", Math.min) - frame.top - at.offsetHeight - 10;
  const left = (all("left", Math.min) + all("right", Math.max)) / 2 - frame.left - at.offsetWidth / 2;
  const room = window.innerHeight - Math.max(frame.top, 0) - at.offsetHeight - 8;
  at.style.top = `${low > room && high > 0 ? high : Math.max(0, low)}px`;
  at.style.left = `${Math.max(0, Math.min(left, frame.width - at.offsetWidth))}px`;
  return at;
}
window.addEventListener("resize", stand);
// Where there is no room for it beside what was chosen, the page moves until it is seen.
window.addEventListener("arrive", () => stand()?.scrollIntoView({block: "nearest"}));

// The picture as an image: the browser draws the file that the server makes.
document.addEventListener("click", async ({target}) => {
  if (target.id !== "as-png") return;
  const image = new Image(), canvas = document.createElement("canvas");
  image.src = "graph.svg";
  await image.decode();
  [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
  const brush = canvas.getContext("2d");
  brush.fillStyle = "white";
  brush.fillRect(0, 0, canvas.width, canvas.height);
  brush.drawImage(image, 0, 0, canvas.width, canvas.height);
  const link = document.createElement("a");
  link.download = "graph.png";
  link.href = canvas.toDataURL("image/png");
  link.click();
});

window.addEventListener("popstate", () => renew());
document.addEventListener("DOMContentLoaded", arrive);
