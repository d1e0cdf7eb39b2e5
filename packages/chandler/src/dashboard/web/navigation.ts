/** The address of the page and the route that it means. */
import { formatRoute, parseRoute, type Route } from './model/route.ts';

export class Navigation {
  route: Route = parseRoute(location.search);
  readonly #listeners = new Set<() => void>();

  constructor() {
    window.addEventListener('popstate', () => this.#set(parseRoute(location.search)));
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** To another place: the browser's back leads here again. */
  go(route: Route): void {
    history.pushState(null, '', formatRoute(route));
    this.#set(route);
  }

  /** A part of the route is another: search, filter, size. */
  change(part: Partial<Route>): void {
    const route = { ...this.route, page: 1, ...part };
    history.replaceState(null, '', formatRoute(route));
    this.#set(route);
  }

  #set(route: Route): void {
    this.route = route;
    for (const listener of this.#listeners) listener();
  }
}
