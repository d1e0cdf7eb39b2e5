/** Dark, light, or as the system has it. */
import { useState } from 'preact/hooks';
import { setTheme, type Theme, theme } from '../theme.ts';

export function ThemeSwitch() {
  const [chosen, setChosen] = useState<Theme>(theme());
  const choose = (next: Theme) => {
    setTheme(next);
    setChosen(next);
  };
  return (
    <select
      class="theme"
      aria-label="Colours"
      value={chosen}
      onChange={(event) => choose(event.currentTarget.value as Theme)}
    >
      <option value="system">System</option>
      <option value="light">Light</option>
      <option value="dark">Dark</option>
    </select>
  );
}
