/** Random quantities, durations and schedules from a seed: mostly sound, some of them not. */
import { Seeded } from './seeded.ts';

export class RandomTexts extends Seeded {
  quantity(): string {
    if (this.next() < 0.05) return this.pick(ODD_QUANTITIES);
    const whole = this.#digits(this.pick([1, 3, 5, 8, 22]));
    const fraction = this.next() < 0.35 ? `.${this.#digits(this.pick([1, 3, 12]))}` : '';
    const text = this.pick(SIGNS) + whole + fraction + this.pick(SUFFIXES);
    // Beyond the largest decimal suffix upstream prints a wrong number; that we do not copy.
    return /[PE]$/.test(text) ? text.replace(/000+(\D)$/, '1$1').replace(/000/g, '010') : text;
  }

  /** Sound, and small enough that sums stay within the suffixes there are. */
  smallQuantity(): string {
    return `${1 + Math.floor(this.next() * 5000)}${this.pick(['', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'u', 'n', 'e3'])}`;
  }

  duration(): string {
    if (this.next() < 0.1) return this.pick(ODD_DURATIONS);
    const terms = Array.from({ length: 1 + Math.floor(this.next() * 3) }, () => {
      const fraction = this.next() < 0.3 ? `.${this.#digits(this.pick([1, 3, 11]))}` : '';
      return this.#digits(this.pick([1, 2, 4])) + fraction + this.pick(UNITS);
    });
    return this.pick(SIGNS) + terms.join('');
  }

  cron(): string {
    if (this.next() < 0.1) return this.pick(ODD_SCHEDULES);
    return [59, 23, 31, 12, 6]
      .map((max, place) => this.#cronField(max, place))
      .join(this.pick([' ', '  ', '\t']));
  }

  moment(): string {
    return new Date(Math.floor(this.next() * 3e12)).toISOString();
  }

  #cronField(max: number, place: number): string {
    const number = () => String(Math.floor(this.next() * (max + 1.3)));
    const name = () => this.pick(place === 3 ? ['jan', 'FEB', 'dec'] : ['sun', 'Mon', 'FRI']);
    const value = () => (place >= 3 && this.next() < 0.3 ? name() : number());
    const forms = [
      () => '*',
      () => '*',
      () => '?',
      value,
      value,
      () => `*/${number()}`,
      () => `${value()}/${number()}`,
      () => `${value()}-${value()}`,
      () => `${value()}-${value()}/2`,
      () => `${value()},${value()}`,
    ];
    return this.pick(forms)();
  }

  #digits(atMost: number): string {
    const length = Math.floor(this.next() * (atMost + 1));
    return Array.from({ length }, () => this.pick([...'0001245689'])).join('');
  }
}

// ---------------------------------------------------------------------------------------------

const SIGNS = ['', '', '', '', '-', '+'];
const UNITS = ['h', 'm', 's', 's', 'ms', 'us', 'µs', 'ns', 'd', ''];
const SUFFIXES = [
  ...[
    '',
    '',
    'n',
    'u',
    'm',
    'k',
    'M',
    'G',
    'T',
    'P',
    'E',
    'Ki',
    'Mi',
    'Gi',
    'Ti',
    'Pi',
    'Ei',
    'K',
    'e',
    'i',
    'mi',
  ],
  ...[
    'e3',
    'E3',
    'e-3',
    'e-12',
    'e+6',
    'E9',
    'e2',
    'e-7',
    'e12',
    'e-9',
    'e1',
    'e0',
    'e+',
    'Kii',
    'e18',
    'e-18',
  ],
];
const ODD_QUANTITIES = [
  ...['', '+', '-', '.', '-.', '1 ', ' 1', 'abc', '1.2.3', '--1', '1e', '0x10', '1e5m', '1_000', '٣', '1Ki1'],
  ...['1m5', '0', '-0', '00', '+0Ki', '1e+-3', '1.Gi', '.Gi', '.5Gi', '-.5', '1\n'],
];
const ODD_DURATIONS = [
  ...[
    '',
    '0',
    '+0',
    '-0',
    '-',
    '.s',
    '1',
    '1.',
    '1h ',
    'h',
    '1x',
    '3h-1m',
    '9223372036854775807ns',
    '1e3s',
    '"1"',
  ],
  ...[
    '9223372036854775808ns',
    '-9223372036854775808ns',
    '2562047h47m16.854775807s',
    '2562048h',
    '1日',
    '.5h',
    '1.h',
  ],
];
const ODD_SCHEDULES = [
  ...[
    '@yearly',
    '@annually',
    '@monthly',
    '@weekly',
    '@daily',
    '@midnight',
    '@hourly',
    '@dailyx',
    '@Daily',
    '',
  ],
  ...[
    '0 0 30 2 *',
    '0 0 29 2 *',
    '0 9 * * mon-fri',
    '0 0 * * 7',
    '0 0 * * tue-mon',
    '* * * *',
    '* * * * * *',
  ],
  ...[
    '0 0 13 * fri',
    '0 0 */2 * 1',
    '*/0 * * * *',
    '1-2-3 * * * *',
    '1/2/3 * * * *',
    'a * * * *',
    '60 * * * *',
  ],
  ...['*-5 * * * *', '1,,2 * * * *', ', * * * *', '+5 * * * *', '-5 * * * *', '*/-1 * * * *', '0 0 1 1 sun'],
];
