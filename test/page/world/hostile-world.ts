/** A cluster whose names and texts try to be something else: 40 nodes and pods, one for each hostile text. */
import { HOSTILE_TEXTS } from './hostile-texts.table.ts';
import { POOL_SHAPES } from './shapes.table.ts';
import { World } from './world.ts';

export class HostileWorld extends World {
  constructor() {
    super(13);
    const pool = POOL_SHAPES[0]!;
    for (const [at, text] of HOSTILE_TEXTS.entries()) {
      const type = { ...pool.types[at % pool.types.length]!, name: text };
      this.setNode(
        this.aNode(pool, type, {
          name: text,
          node: text,
          zone: text,
          phaseText: text,
          staying: [{ code: text, text }],
        }),
      );
      const pending = at % 2 === 0;
      this.setPod([text, text, pending ? '' : text, pending ? 'p' : 'r', 100, 1, `Deployment/${text}`]);
      this.tell({ what: 'event', subject: `Node/${text}`, reason: text, text, warning: at % 3 === 0 });
    }
    this.setFreezes([{ pool: HOSTILE_TEXTS[0]!, untilMs: null, text: HOSTILE_TEXTS[1]! }]);
    this.missing = [{ resource: HOSTILE_TEXTS[2]!, reason: 'failed', text: HOSTILE_TEXTS[3]! }];
    this.takeChanges();
  }
}
