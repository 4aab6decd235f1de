extension Double {
    /// Seconds as milliseconds.
    var milliseconds: Double { self / 0.001 }

    /// The number rounded to two decimal places, which are more than a graph shows.
    var hundredths: Double { (self / 0.01).rounded() / 100 }
}
