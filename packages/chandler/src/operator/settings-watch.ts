/**
 * Applies changes of the settings ConfigMap, and publishes events on it: what took effect, what needs a restart and
 * what was rejected. `settings/` decides that. Secret files are reloaded at an interval.
 */
import type { ConfigMap } from '@chandler/kube';
import {
  CONFIG_MAPS,
  type EventRecorder,
  type KubeClient,
  Reflector,
  Store,
  type World,
} from '@chandler/kube';
import { GLOBAL_SETTINGS_NAME, type SettingsChange, settingsEvents } from '../settings/index.ts';
import type { OperatorSettings } from './operator-options.ts';

/** Interval at which secret files are reloaded. */
export const RELOAD_MS = 60_000;

export interface SettingsWatchOptions {
  readonly world: World;
  readonly client: KubeClient;
  readonly namespace: string;
  readonly settings: OperatorSettings;
  /** Undefined while this replica does not lead: only the leader publishes events. */
  readonly events: () => EventRecorder | undefined;
}

export class SettingsWatch {
  readonly #options: SettingsWatchOptions;
  readonly #reflector: Reflector<ConfigMap>;
  #last: SettingsChange | undefined;
  /** The last logged problems: files are reloaded every minute, but rarely change. */
  #lastLogged = '[[],[]]';

  constructor(options: SettingsWatchOptions) {
    this.#options = options;
    const { world, client, namespace } = options;
    const store = new Store<ConfigMap>({
      resource: CONFIG_MAPS,
      trim: (object) => object,
    });
    this.#reflector = new Reflector<ConfigMap>({
      client,
      store,
      world,
      namespace,
      fieldSelector: `metadata.name=${GLOBAL_SETTINGS_NAME}`,
    });
    store.subscribe(({ object, type }) => this.#apply(type === 'deleted' ? undefined : object));
  }

  get synced(): Promise<void> {
    return this.#reflector.synced;
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { world, settings } = this.#options;
    this.#reflector.start();
    void this.#reflector.synced.then(() => {
      if (!signal.aborted) this.#applyDeletion();
    });
    while (!signal.aborted) {
      await world.clock.sleep(RELOAD_MS, signal).catch(() => undefined);
      if (!signal.aborted) this.#reload(settings.reload());
    }
    await this.#reflector.stop();
  }

  /** An event expires after an hour; a value with which the controller cannot start again must not be forgotten. */
  #reload(change: SettingsChange): void {
    this.#log(change);
    if (change.warnings.some(({ code }) => code === 'BadValue')) this.#publish({ ...change, changed: [] });
  }

  /** Publishes the last change again: the leader before may not have done it. */
  report(): void {
    if (this.#last !== undefined) this.#publish(this.#last);
  }

  /** The ConfigMap was read at the start and deleted before the first list, so no event reports its deletion. */
  #applyDeletion(): void {
    const key = { namespace: this.#options.namespace, name: GLOBAL_SETTINGS_NAME };
    if (this.#reflector.store.get(key) === undefined) this.#apply(undefined);
  }

  #apply(object: ConfigMap | undefined): void {
    const change = this.#options.settings.update(object);
    if (change === undefined) return;
    this.#last = change;
    this.#log(change);
    this.#publish(change);
  }

  #log({ changed, needRestart, warnings }: SettingsChange): void {
    const { log } = this.#options.world;
    const names = (of: readonly { name: string }[]) => of.map(({ name }) => name);
    if (changed.length > 0) log.info('settings changed', { options: names(changed) });
    const logged = JSON.stringify([names(needRestart), warnings]);
    if (logged === this.#lastLogged) return;
    this.#lastLogged = logged;
    if (needRestart.length > 0)
      log.warn('changed settings require a restart', { options: names(needRestart) });
    for (const warning of warnings) log.warn('warning about a setting', { ...warning });
  }

  #publish(change: SettingsChange): void {
    const object = this.#reflector.store.get({
      namespace: this.#options.namespace,
      name: GLOBAL_SETTINGS_NAME,
    });
    if (object === undefined) return;
    const events = this.#options.events();
    for (const event of settingsEvents(change)) events?.publish({ ...event, resource: CONFIG_MAPS, object });
  }
}
