// The button that copies the scene file; a page opened from a folder may have no clipboard.
export function copying(words) {
  const button = document.getElementById("copy-scene");
  const text = document.getElementById("scene-text");
  const told = document.getElementById("copy-told");
  if (!button || !text || !told) return;
  const byHand = () => {
    text.focus();
    window.getSelection().selectAllChildren(text);
    let copied = false;
    try {
      copied = document.execCommand("copy");
    } catch {
      copied = false;
    }
    told.textContent = copied ? words.copied : words.selected;
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    if (!navigator.clipboard?.writeText) return byHand();
    return navigator.clipboard.writeText(text.textContent).then(() => (told.textContent = words.copied), byHand);
  });
}
