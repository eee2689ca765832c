// A value that follows after a pause, for a call that must not run at every letter.
import { useEffect, useState } from 'preact/hooks'

const DELAY_MS = 250

export function useDebounced<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  const written = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), DELAY_MS)
    return () => clearTimeout(timer)
  }, [written])
  return settled
}
