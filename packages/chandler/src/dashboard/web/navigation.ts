/** The address of the page and the route that it means; the focus and the place on the page that belong to it. */
import { nextFrame } from './browser.ts';
import { formatRoute, parseRoute, type Route } from './model/route.ts';

/** About two seconds. */
const MAX_FRAMES = 120;

export class Navigation {
  route: Route = parseRoute(location.search);
  readonly #listeners = new Set<() => void>();

  constructor() {
    history.scrollRestoration = 'manual';
    window.addEventListener('popstate', ({ state }) => {
      this.#set(parseRoute(location.search));
      const { scroll = 0 } = (state ?? {}) as { readonly scroll?: number };
      this.#arrive(scroll);
    });
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** To another place: the browser's back leads here again. */
  go(route: Route): void {
    history.replaceState({ scroll: window.scrollY }, '');
    history.pushState(null, '', formatRoute(route));
    this.#set(route);
    this.#arrive(0);
  }

  /** A part of the route is another: search, filter, size. */
  change(part: Partial<Route>): void {
    const route = { ...this.route, page: 1, ...part };
    history.replaceState(history.state, '', formatRoute(route));
    this.#set(route);
  }

  /** Where what had the focus is gone, the title of the new view has it. A long list is there only after its answer. */
  #arrive(scroll: number): void {
    const { route } = this;
    const place = (framesLeft: number) => {
      if (this.route !== route) return;
      if (document.activeElement === document.body || document.activeElement === null)
        document.getElementById('title')?.focus({ preventScroll: true });
      window.scrollTo(0, scroll);
      if (window.scrollY < scroll - 1 && framesLeft > 0) nextFrame(() => place(framesLeft - 1));
    };
    // The second frame is after the rendering.
    nextFrame(() => nextFrame(() => place(MAX_FRAMES)));
  }

  #set(route: Route): void {
    this.route = route;
    for (const listener of this.#listeners) listener();
  }
}
