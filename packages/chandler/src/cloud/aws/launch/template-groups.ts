/**
 * Which instance types can share a launch template: those with the same image, number of EFA interfaces, settings of the
 * kubelet and reservation. The rest of a template is the same for all types of a launch.
 */
import type { LaunchType } from './launch-types.ts';
import { withOfferings } from './launch-types.ts';

/** What the user data and the interfaces of a type depend on. */
export interface TypeSettings {
  /** Undefined where no image of the class suits the type: it is left out. */
  readonly imageId: string | undefined;
  readonly efaCount: number;
  readonly maxPods: number;
  /** Only where the user data has it. */
  readonly kubeReserved?: Readonly<Record<string, string>>;
  readonly systemReserved?: Readonly<Record<string, string>>;
}

export interface TemplateGroup<T extends LaunchType> extends TypeSettings {
  readonly imageId: string;
  /** Of a reserved launch. The types have its offerings only. */
  readonly reservationId?: string;
  readonly types: readonly T[];
}

/** In an order that depends on the settings alone, so that equal launches become equal requests. */
export function templateGroups<T extends LaunchType>(
  types: readonly T[],
  settingsOf: (type: T) => TypeSettings,
): readonly TemplateGroup<T>[] {
  const groups = new Map<string, TemplateGroup<T> & { readonly types: T[] }>();
  for (const type of types) {
    const settings = settingsOf(type);
    const { imageId } = settings;
    if (imageId === undefined) continue;
    for (const reservationId of reservationsOf(type)) {
      const key = keyOf(settings, reservationId);
      const group = groups.get(key) ?? {
        ...settings,
        imageId,
        ...(reservationId === undefined ? {} : { reservationId }),
        types: [],
      };
      group.types.push(ofReservation(type, reservationId));
      groups.set(key, group);
    }
  }
  return [...groups].sort(([first], [second]) => (first < second ? -1 : 1)).map(([, group]) => group);
}

// ---------------------------------------------------------------------------------------------------------------

function keyOf(settings: TypeSettings, reservationId: string | undefined): string {
  const { imageId, efaCount, maxPods, kubeReserved, systemReserved } = settings;
  const sorted = (map: Readonly<Record<string, string>> = {}) => Object.entries(map).sort();
  return JSON.stringify([
    imageId,
    reservationId ?? '',
    efaCount,
    maxPods,
    sorted(kubeReserved),
    sorted(systemReserved),
  ]);
}

function reservationsOf({ offerings }: LaunchType): readonly (string | undefined)[] {
  return [...new Set(offerings.map(({ capacityReservation }) => capacityReservation?.id))];
}

function ofReservation<T extends LaunchType>(type: T, reservationId: string | undefined): T {
  return withOfferings(
    type,
    type.offerings.filter(({ capacityReservation }) => capacityReservation?.id === reservationId),
  );
}
