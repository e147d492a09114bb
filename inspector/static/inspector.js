// Shows times in the user's time zone; without this script, the page shows them in UTC.
const form = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
for (const element of document.querySelectorAll("time[datetime]")) {
  const moment = new Date(element.dateTime);
  if (!Number.isNaN(moment.getTime())) element.textContent = form.format(moment);
}
