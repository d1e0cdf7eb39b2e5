/** The views of the page, in the order of its menu. The server and the app in the browser share them. */
export const VIEWS = [
  'cluster',
  'pending',
  'claims',
  'savings',
  'timeline',
  'what-if',
  'playground',
] as const;
