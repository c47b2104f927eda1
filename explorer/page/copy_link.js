// Copies the link; where the browser does not allow that, shows it, selected, to be copied by hand.
export default function ({ parentElement }) {
  let root = parentElement.querySelector(".copy-link");
  if (!root) {
    root = document.createElement("div");
    root.className = "copy-link";
    root.innerHTML = `<button type="button">Copy link</button><input readonly hidden
      aria-label="Link to this page"><span role="status"></span>`;
    parentElement.appendChild(root);
  }
  const [button, field, status] = root.children;
  button.onclick = async () => {
    field.value = location.href;
    try {
      await navigator.clipboard.writeText(field.value);
      status.textContent = "Copied";
    } catch {
      field.hidden = false;
      field.select();
      status.textContent = "Press Ctrl+C";
    }
    clearTimeout(root.timer);
    root.timer = setTimeout(() => { status.textContent = ""; }, 3000);
  };
}
