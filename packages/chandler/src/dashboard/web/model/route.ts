/**
 * Where the page is, as its address says it: the view, the object, search, filters and ranges. Everything is in the query, so that an
 * address can be sent to a colleague; a token never is. Pure.
 */
import { VIEWS } from '../../views.table.ts';
import type { View } from '../../wire.ts';

export type Page = View | 'object';
export type GroupBy = 'pool' | 'zone' | 'type' | 'capacity';
export type TileSize = 'auto' | 'small' | 'medium' | 'large';

export interface Route {
  readonly view: Page;
  /** Of the view `object`: `Node/x`. */
  readonly subject: string;
  /** The search. */
  readonly q: string;
  readonly group: GroupBy;
  readonly size: TileSize;
  readonly shape: 'tiles' | 'table';
  /** Only nodes of this phase, or claims with this outcome; empty: all. */
  readonly only: string;
  /** Of tables: the column, with a minus before it for the largest first. */
  readonly sort: string;
  /** Of long tables, from 1. */
  readonly page: number;
  /** Of the timeline, in ms; 0: the last hours. */
  readonly from: number;
  readonly to: number;
}

export const HOME: Route = {
  view: 'cluster',
  subject: '',
  q: '',
  group: 'pool',
  size: 'auto',
  shape: 'tiles',
  only: '',
  sort: '',
  page: 1,
  from: 0,
  to: 0,
};

/** Never fails: what is not understood is as if it were not there. */
export function parseRoute(search: string): Route {
  const given = new URLSearchParams(search);
  const text = (name: keyof Route) => given.get(name) ?? '';
  const number = (name: keyof Route, otherwise: number) => {
    const value = Number(text(name));
    return Number.isSafeInteger(value) && value > 0 ? value : otherwise;
  };
  const from = number('from', 0);
  const to = number('to', 0);
  const isRange = from > 0 && to > from;
  return {
    view: oneOf(PAGES, text('view')),
    subject: text('subject'),
    q: text('q'),
    group: oneOf(GROUPS, text('group')),
    size: oneOf(SIZES, text('size')),
    shape: oneOf(SHAPES, text('shape')),
    only: text('only'),
    sort: text('sort'),
    page: number('page', 1),
    from: isRange ? from : 0,
    to: isRange ? to : 0,
  };
}

/** The shortest query that means the route: `?view=pending&q=web`; `?` for the first page. */
export function formatRoute(route: Route): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(HOME) as (keyof Route)[]) {
    if (route[name] !== HOME[name]) query.set(name, String(route[name]));
  }
  return `?${query}`;
}

/** Another view; of the rest only the search goes with it. */
export function toView(view: Page, q = ''): Route {
  return { ...HOME, view, q };
}

export function toObject(subject: string): Route {
  return { ...HOME, view: 'object', subject };
}

/** The first is the default. */
export const GROUPS = ['pool', 'zone', 'type', 'capacity'] as const satisfies readonly GroupBy[];
export const SIZES = ['auto', 'small', 'medium', 'large'] as const satisfies readonly TileSize[];
const SHAPES = ['tiles', 'table'] as const;
const PAGES: readonly Page[] = [...VIEWS, 'object'];

function oneOf<T extends string>(known: readonly T[], text: string): T {
  return known.find((each) => each === text) ?? known[0]!;
}
