// What a process has counted of carriers is added to what all have.
import { addFigures, type CountedFigure } from '../store/carrier-figures.ts'
import type { Ports } from './ports.ts'

export async function keepFigures(ports: Ports, counted: CountedFigure[]): Promise<void> {
  if (counted.length > 0) await ports.db.transaction((tx) => addFigures(tx, counted))
}
