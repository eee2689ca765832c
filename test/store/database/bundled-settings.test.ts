// What the bundled PostgreSQL is started with: as whom, and for how many.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCEPT_LANES } from '../../../src/actions/messages/accept-messages.ts'
import { connectionsOf } from '../../../src/boot/pools.ts'
import { chooseAccount } from '../../../src/store/database/bundled-postgres/home.ts'
import { settingsFile } from '../../../src/store/database/bundled-postgres/settings.ts'

test('for root it runs as a user of its own where there is one: hulaki, else postgres, else nobody', () => {
  const nobody = 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65533::/:/bin/false\n'
  assert.deepEqual(chooseAccount(nobody), { uid: 65_534, gid: 65_533 })
  const postgres = `${nobody}postgres:x:105:109::/var/lib/postgresql:/bin/sh\n`
  assert.deepEqual(chooseAccount(postgres), { uid: 105, gid: 109 })
  assert.deepEqual(chooseAccount(`${postgres}hulaki:x:999:998::/srv/hulaki:/bin/false\n`), { uid: 999, gid: 998 })
  assert.deepEqual(chooseAccount(`${postgres}hulaki:x:0:0::/:/bin/sh\n`), { uid: 105, gid: 109 })
  // macOS
  assert.deepEqual(chooseAccount('nobody:*:-2:-2::/:/usr/bin/false\n'), { uid: 4_294_967_294, gid: 4_294_967_294 })
  assert.deepEqual(chooseAccount(''), { uid: 65_534, gid: 65_534 })
})

test('it takes as many connections as all processes together may want', () => {
  const roles = ['api', 'delivery', 'webhooks', 'upkeep'] as const
  // Each lane, of which there are more on a larger machine, takes texts over one connection and codes over another.
  const serving = 8 + 2 * ACCEPT_LANES
  const poolerUrl = null
  assert.equal(connectionsOf({ processes: 1, roles, poolerUrl }), 22 + serving)
  assert.equal(connectionsOf({ processes: 1, roles: ['delivery'], poolerUrl }), 22)
  assert.equal(connectionsOf({ processes: 2, roles, poolerUrl }), 22 + 2 * (16 + serving))
  assert.equal(connectionsOf({ processes: 11, roles, poolerUrl }), 22 + 11 * (16 + serving))
  // One of each process listens, and the primary opens two for work that needs a session.
  assert.equal(connectionsOf({ processes: 1, roles, poolerUrl: 'postgres://pooler/hulaki' }), 3)
  assert.equal(connectionsOf({ processes: 11, roles, poolerUrl: 'postgres://pooler/hulaki' }), 14)
  assert.match(settingsFile({ on: 'socket' }, 321), /^max_connections = '321'$/m)
})
