// Migrations that were published are never edited: databases that were made with them would refuse the other form at their next start.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const FOLDER = new URL('../../../src/store/database/migrations/', import.meta.url)

/** SHA-256 of each, as it was published. A release adds its new ones here, and changes none. */
const PUBLISHED: Record<string, string> = {
  '0001_house.sql': 'cdcb90e5e881ac0bec98a83a3eb2c43fc76d87f6853f2fb6ed3e8568ce5af040',
  '0002_messages.sql': 'c35c07a31bbb4105ec0a76103cde6dc2ba3d29dc37f84ff7c8f0946353e92868',
  '0003_webhooks.sql': 'ccb96d38278ac2195944e2699f37a5f0b62bb3fb21ac86b083b0a43c2c000961',
  '0004_delivery.sql': '770da586c9f6e944c5bf5db2a902ec74f49d14a6ef5771d65665f106500feee8',
  '0005_reservations.sql': 'afc99960564dcfac1eb72646f009f359c1360f8b2bcf509a5fbf5bef245daab2',
  '0006_replies.sql': '96a5b119a4f8b5191e92c756330fb9b6a5094184083ec292a2c94ef146c53b0c',
  '0007_statistics.sql': '3f1841ad961244ad2b8e7b8b65be096e275e3c25a50243aa0fad6fb81c5b9902',
  '0008_domains.sql': '4c269f9743c74f2ed21f6c6b3d29043be2e709d801f738b59a9357500d6974f7',
  '0009_pumping_allowlist.sql': 'ea0bdc3d41251407f7ad7bf417edf7c2a8b377218e1c143219d28f8fe33be8a6',
  '0010_simulator_account.sql': '312f945d6718c2c1a50f4fd16c852726d2a4df3ed55d4e45951fa26d859ce7bc',
  '0011_cut_characters.sql': '53ceea0b4bc73918d8e3a4e2cfbc0e39b8e5ccea88c70f4801a63572e674798c',
  '0012_neighbours.sql': '4edfb44d3e545e66569ec45facfb6fa6e3e8400a420fd0d698256d11e293b192',
  '0013_guards.sql': '65e885e66c2be72b46d0abe5fc9245f79cd563672447a01f1bc21f48e0e637d0',
  '0014_wire.sql': 'f76fc79563ee069e9e337d3a5f64be8657f39794ad83f658e818fdad815002a6',
  '0015_otp_callers.sql': 'd595a5f7dd1aef03c4b3841fc7324797eb85ce46ea8cecc19ef5253acfb29490',
  '0016_receipts_by_text.sql': 'e389cd5529d32233dee87d64b69c38192e5fabdcd342e5cfeec7d887ab26096b',
  '0017_availability.sql': '4766b0573f9528204645240721a2abc662b15559b337b930cef352d13c02df54',
  '0018_carriers.sql': '0fd645a5a2234065cac7e1054773f445ff0c983e742e73534c5ce99cc3327b30',
  '0019_engine.sql': 'dd6439914e04056e3673f1f907e92f8aa2b3992bb210b82a59fa81348d57562d',
  '0021_people.sql': '7d237392307e2f4f91013e733ad54db353da78f935940139cf17050ebf910462',
  '0022_second_factors.sql': '7be9b90d3c1251c798ad6741221fbed856f928a62d1c1883486035949c0f5293',
  '0023_console.sql': '87e301c51720b0dfd087b12a28e3b8e264b84547919a814b7c5615b476cb945e',
  '0024_codes_and_usage.sql': '7261ab7fcf1c9a832f1e2d70f542367f50050011d87b298c63894a7581151ee7',
  '0025_now.sql': 'ce3a89d3a7143ead1cd33632bbca4ed663655e47d60ecf7796866ef225218386',
  '0026_rare_entries.sql': 'b5f74630faaea61fb0542eac1495595db795e08848f867fd372d45170c9c16e4',
  '0027_listening.sql': 'a6207215d5e5285d56779caa71723efad2d063c8c4bc47305023d8d56b9d4d4e',
  '0028_http_carriers.sql': '8fd3336096d6ea9ed3c4e324e4b3ce7bd92cfcf5a0faa821d2e0bc919c146c9f',
  '0029_carrier_callbacks.sql': '585843d2cf93d31ace6320fb6b363c893acc8c9422014440a6c027291cc441fd',
  '0031_smpp_settings.sql': 'bcbd51472e08ad80cc0ff2f2cad0b483990b99c8dd47a68e19f59b5797e1fd03',
  '0032_receipts_and_templates.sql': '33148e436534db79248596e02ee698521cde50faed65a41834d235ea832942a3',
  '0033_message_acts.sql': 'fc50951aaf6486605f8b47d09f636523358ea9cabc0bb4bfeb3e4b4c8ed621d2',
  '0034_prices.sql': '8ce3720166ad565cfe6cf613b435a11735f75040a8de4c7c0708fe0026d834f8',
  '0035_policies.sql': '78cf25a3a040f3ba0355541d698e3c2f3c1d47c0583135f89f4da55eae7c1a41',
  '0036_carrier_captures.sql': '2f6c0fcf32b8b5a343b61e6c1c95a0a196335dbc775c255d8c2e29c6deda1f7c',
}

test('a migration that was published is as it was published', () => {
  const files = readdirSync(FOLDER)
  for (const [file, published] of Object.entries(PUBLISHED)) {
    const say = `${file} was published and must stay as it was: undo the change, and write a new migration for what you need`
    assert.ok(files.includes(file), say)
    const text = readFileSync(new URL(file, FOLDER), 'utf8').replaceAll('\r\n', '\n')
    assert.equal(createHash('sha256').update(text).digest('hex'), published, say)
  }
})

test('a new migration comes behind those that were published', () => {
  const published = Object.keys(PUBLISHED).sort()
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'))
  assert.deepEqual(files.sort().slice(0, published.length), published, 'give the new one a number behind theirs')
})
