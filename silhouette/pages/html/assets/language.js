// Every page of the site, before all else: in the language that its address asks for (?lang=de), that was chosen before, or that
// the browser prefers. English pages lie in the site's folder, others in one of their language; those were chosen already.
(() => {
  const { currentScript: script, documentElement: page } = document;
  const languages = script.dataset.languages.split(" ");
  const isThere = (language) => languages.includes(language);
  const ours = "silhouette language";
  const tried = (act) => {
    try {
      return act();
    } catch {
      return null; // a browser that keeps nothing
    }
  };
  const asked = new URLSearchParams(location.search).get("lang");
  if (isThere(asked)) tried(() => localStorage.setItem(ours, asked));
  const kept = tried(() => localStorage.getItem(ours));
  const preferred = [asked, kept, ...navigator.languages.map((language) => language.slice(0, 2).toLowerCase())].find(isThere);
  const language = isThere(asked) || page.lang === languages[0] ? preferred || page.lang : page.lang;
  const folder = language === languages[0] ? "" : `${language}/`;
  if (language !== page.lang) location.replace(new URL(folder + script.dataset.path, script.src).href + location.search + location.hash);
  // Pages from disk may keep nothing for each other: their links say what was asked for.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    const chosen = link?.dataset.language || (location.protocol === "file:" && isThere(asked) && !link?.hreflang && asked);
    if (!chosen || event.ctrlKey || event.metaKey || event.shiftKey || link.protocol !== location.protocol) return;
    event.preventDefault();
    const to = new URL(link.href);
    to.searchParams.set("lang", chosen);
    location.assign(to);
  });
})();
