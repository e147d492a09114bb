// Moments in the zone of the reader; the page shows them in UTC where this does not run.
const form = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
for (const element of document.querySelectorAll("time[datetime]")) {
  const moment = new Date(element.dateTime);
  if (!Number.isNaN(moment.getTime())) element.textContent = form.format(moment);
}
