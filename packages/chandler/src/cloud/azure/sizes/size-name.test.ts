import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KNOWN_NAMES } from './known-names.table.ts';
import { isConfidential, parseSize, seriesOf, versionOf } from './size-name.ts';

const KNOWN = KNOWN_NAMES.flatMap((row) =>
  row.cpus.split(' ').map((cpus) => ({ ...row, cpus, name: `Standard_${row.template.replace('#', cpus)}` })),
);

describe('names of VM sizes', () => {
  test('every known name is read, with its family, cores, features, accelerator and version', () => {
    expect(KNOWN.length).toBeGreaterThan(900);
    for (const { name, cpus, family, subfamily, features, series, version, accelerator } of KNOWN) {
      const size = parseSize(name);
      if (size === undefined) expect.fail(`${name} was not understood`);
      const [all, constrained] = cpus.split('-').map(Number);
      expect({
        name,
        family: size.family,
        subfamily: size.subfamily,
        cpus: size.cpus,
        constrained: size.constrainedCpus,
        features: size.features,
        series: seriesOf(size),
        version: versionOf(size),
        accelerator: size.accelerator,
      }).toEqual({ name, family, subfamily, cpus: all, constrained, features, series, version, accelerator });
    }
  });

  test('no two known names are the same size', () => {
    expect(new Set(KNOWN.map(({ name }) => name)).size).toBe(KNOWN.length);
  });

  test('the extra words of a name are kept', () => {
    expect(parseSize('Standard_M96s_2_v3')).toMatchObject({ variant: 2, qualifiers: [] });
    expect(parseSize('Standard_DC4as_cc_v5')).toMatchObject({ confidentialChild: true });
    expect(parseSize('Standard_D2_v2_Promo')).toMatchObject({ promo: true, version: 'v2' });
    expect(parseSize('Standard_ND128isr_NDR_GB200_v6')).toMatchObject({ qualifiers: ['NDR'] });
    expect(parseSize('Standard_NC24lds_xl_RTXPRO6000BSE_v6')).toMatchObject({ qualifiers: ['xl'] });
    expect(parseSize('Basic_A1')).toMatchObject({ family: 'A', cpus: 1, short: 'A1' });
  });

  test('sizes of a generation that does not exist yet are read too', () => {
    expect(parseSize('Standard_D4zqs_Q9000_v12')).toMatchObject({
      features: 'zqs',
      accelerator: 'Q9000',
      version: 'v12',
    });
  });

  test('confidential are the DC and EC sizes, not the GPU sizes with a C', () => {
    const confidential = KNOWN.filter(({ name }) => isConfidential(parseSize(name)!));
    expect(new Set(confidential.map(({ name }) => name.slice(9, 11)))).toEqual(new Set(['DC', 'EC']));
    expect(isConfidential(parseSize('Standard_NC6s_v3')!)).toBe(false);
  });

  test('other text is not a size name', () => {
    const none = ['', 'Standard_', 'Aligned', 'Classic', 'Dsv3-Type1', 'ESv3-Type2', 'Standard_D', 'D2 s_v3'];
    const twice = [
      'Standard_D2s_v3_v4',
      'Standard_NC24ads_A100_A10_v4',
      'Standard_D2s__v3',
      'Standard_D-2s_v3',
    ];
    for (const name of [...none, ...twice]) expect([name, parseSize(name)]).toEqual([name, undefined]);
  });

  test('no text makes the parser throw', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const size = parseSize(`Standard_${text}`);
        expect(size === undefined || Number.isInteger(size.cpus)).toBe(true);
      }),
    );
  });
});
