// Names the two pages of the cell under the pointer, as they are named in the choices below.
const map = document.querySelector(".heat input[type=image]");
const names = [...document.querySelectorAll("select[name=page] option")].map((option) => option.text);
map?.addEventListener("pointermove", (event) => {
  const cell = map.width / names.length;
  const at = (offset) => names[Math.min(Math.floor(offset / cell), names.length - 1)];
  map.title = `${at(event.offsetY)}\n${at(event.offsetX)}`;
});
