// The page: what is chosen, what is shown. How the server is called is in `mcp.js`.

import { callTool, RefusedError } from "./mcp.js";

const ORDERS = [
    ["A17", "Ada Bakery", "€ 184.20"],
    ["B42", "Birch & Sons", "€ 1,320.00"],
    ["C03", "Café Cortado", "€ 96.50"],
    ["C28", "Copper Kettle", "€ 412.75"],
    ["D11", "Dahlia Flowers", "€ 58.90"],
    ["E36", "Elm Books", "€ 233.10"],
    ["F09", "Fjord Outdoor", "€ 2,049.00"],
    ["G54", "Grete's Garden", "€ 77.35"],
];
const CHOSEN_AT_FIRST = 3;

const element = (id) => document.getElementById(id);
const form = element("form");
const exportButton = element("export");
const cancelButton = element("cancel");
const allButton = element("all");
const bar = element("bar");

/** The call that runs, if one does. */
let running;

ORDERS.forEach(([id, customer, amount], at) => {
    const order = element("order").content.cloneNode(true);
    order.querySelector("input").value = id;
    order.querySelector("input").checked = at < CHOSEN_AT_FIRST;
    order.querySelector(".id").textContent = id;
    order.querySelector(".customer").textContent = customer;
    order.querySelector(".amount").textContent = amount;
    element("orders").append(order);
});
const boxes = [...form.elements.order];
const chosenBoxes = () => boxes.filter((box) => box.checked);
showChoice();

form.addEventListener("change", showChoice);
form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!running && chosenBoxes().length) {
        exportOrders(chosenBoxes());
    }
});
cancelButton.addEventListener("click", () => running?.abort());
allButton.addEventListener("click", () => {
    const all = chosenBoxes().length < boxes.length;
    boxes.forEach((box) => (box.checked = all));
    showChoice();
});

async function exportOrders(chosen) {
    running = new AbortController();
    const { signal } = running;
    showStart(chosen.length);
    try {
        const order_ids = chosen.map((box) => box.value);
        const result = await callTool("/mcp", "export_orders", { order_ids }, {
            signal,
            onProgress: (report) => showProgress(report, chosen),
        });
        showOutcome(result.isError ? "failed" : "done", textOf(result));
    } catch (error) {
        if (signal.aborted) {
            showOutcome("cancelled", "Cancelled. The tool has stopped.");
        } else if (error instanceof RefusedError) {
            showOutcome("failed", `The server refused the call: ${error.message} (${error.code})`);
        } else {
            showOutcome("failed", `There is no answer: ${error.message}. Is the server running?`);
        }
    } finally {
        running = undefined;
        showEnd();
    }
}

/** What a result says to people. */
function textOf(result) {
    return result.content.filter((content) => content.type === "text").map((content) => content.text).join("\n");
}

function showChoice() {
    const count = chosenBoxes().length;
    exportButton.textContent = count === 1 ? "Export 1 order" : `Export ${count} orders`;
    exportButton.disabled = !count || Boolean(running);
    allButton.textContent = count < boxes.length ? "Choose all" : "Choose none";
}

function showStart(total) {
    element("orders").disabled = true;
    exportButton.disabled = true;
    allButton.disabled = true;
    cancelButton.disabled = false;
    // The button that had the focus is disabled now, and a keyboard has to be somewhere.
    cancelButton.focus();
    boxes.forEach((box) => box.parentElement.classList.remove("exported"));
    element("message").textContent = "Nothing exported yet";
    element("outcome").textContent = "";
    element("run").dataset.state = "running";
    showBar(0, total);
    // On a small screen the bar may be out of sight.
    element("run").scrollIntoView({ block: "nearest" });
}

/** A report: how much is done, of how much if the server knows, and what it says of it. */
function showProgress({ progress, total, message = "" }, chosen) {
    element("message").textContent = message;
    showBar(progress, total);
    // The tool takes the orders one after the other.
    chosen.slice(0, progress).forEach((box) => box.parentElement.classList.add("exported"));
}

function showBar(progress, total) {
    const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
    element("count").textContent = count;
    const part = total ? progress / total : 1;
    bar.firstElementChild.style.transform = `translateX(${100 * (part - 1)}%)`;
    bar.setAttribute("aria-valuetext", `${count}, ${element("message").textContent}`);
    // Without a total there is no telling how far it is: a bar without a value says so.
    if (total === undefined) {
        bar.removeAttribute("aria-valuenow");
        bar.removeAttribute("aria-valuemax");
    } else {
        bar.setAttribute("aria-valuemax", total);
        bar.setAttribute("aria-valuenow", progress);
    }
}

function showOutcome(state, text) {
    element("run").dataset.state = state;
    element("outcome").textContent = text;
}

function showEnd() {
    const hadFocus = document.activeElement === cancelButton;
    element("orders").disabled = false;
    allButton.disabled = false;
    cancelButton.disabled = true;
    showChoice();
    if (hadFocus) {
        exportButton.focus();
    }
}
