// The frame of the page: the bar with the views, the view of the address, help.
import { html, render, useEffect, useState } from "./vendor/preact-htm.js";
import { get, useAnswer } from "./api.js";
import { Bar } from "./bar.js";
import { useRoute } from "./route.js";
import { Tour } from "./help/tour.js";
import { Tips } from "./parts/tips.js";
import { VIEWS } from "./views/all.js";

function useJobs() {
  const [jobs, setJobs] = useState([]);
  useEffect(() => {
    let timer = 0;
    const look = async () => {
      const found = await get("jobs").catch(() => null);
      if (found) setJobs((old) => (JSON.stringify(old) === JSON.stringify(found) ? old : found));
      const busy = !found || found.some((job) => job.state === "waiting" || job.state === "running");
      timer = setTimeout(look, busy ? 700 : 3000);
    };
    look();
    return () => clearTimeout(timer);
  }, []);
  return jobs;
}

function App() {
  const session = useAnswer(() => get("session"), []);
  const route = useRoute();
  const jobs = useJobs();
  if (session.error) return html`<p class="starting">The explorer does not answer: ${session.error.message}</p>`;
  if (!session.data) return html`<p class="starting">Opening the explorer ...</p>`;
  const view = VIEWS.find((one) => one.id === route.view) || VIEWS[0];
  return html`
    <${Bar} session=${session.data} view=${view} jobs=${jobs} />
    <main id="view" class=${`view view-${view.id}`}>
      <${view.show} key=${view.id} session=${session.data} query=${route.query} jobs=${jobs} />
    </main>
    <${Tour} session=${session.data} />
    <${Tips} />`;
}

const place = document.getElementById("app");
place.replaceChildren();
render(html`<${App} />`, place);
