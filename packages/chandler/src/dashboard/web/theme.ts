/** Dark or light: as the system has it, or as the switch says. The choice stays in the browser. */

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'chandler.theme';
const changed = new Set<() => void>();

export function theme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function setTheme(next: Theme): void {
  if (next === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
  applyTheme();
}

export function applyTheme(): void {
  const dark = window.matchMedia('(prefers-color-scheme: dark)').matches;
  const shown = theme() === 'system' ? (dark ? 'dark' : 'light') : theme();
  document.documentElement.dataset['theme'] = shown;
  for (const listener of changed) listener();
}

/** Called when the colours are others. */
export function onTheme(listener: () => void): () => void {
  changed.add(listener);
  return () => changed.delete(listener);
}

export function followSystemTheme(): void {
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyTheme);
  applyTheme();
}
