// Loaded before a program under measurement: tells the benchmark, whenever it asks, how much CPU the process has used.
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuSeconds: (user + system) / 1e6 })
})
