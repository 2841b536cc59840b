using System;
using System.Collections.Generic;
using static System.Math;
using Text = System.Text.StringBuilder;

namespace Shop.Billing
{
    /// <summary>Sums up what is owed.</summary>
    [Serializable]
    public sealed partial class Invoice<T> : Document, IDisposable where T : class, new()
    {
        public const decimal Rate = 0.19m;
        private readonly List<Line> _lines = new List<Line>();
        public static int Count, Open = 2;

        /// <summary>
        /// Who pays.
        /// </summary>
        public string Customer { get; set; } = "{none}";
        public int Total => _lines.Count;
        public int this[int index] => index;
        public event EventHandler<EventArgs> Changed;
        public required Dictionary<string, int> Map { get; init; }

        public Invoice(string customer) : base(customer)
        {
            Customer = customer;
        }

        ~Invoice() { }

        [Obsolete("use Add")]
        public async Task<bool> AddAsync(Line line, int count = 1)
        {
            var path = @"c:\temp\";
            var text = $"{line} }}";
            void Local() { }
            return true;
        }

        public static Invoice<T> operator +(Invoice<T> a, Invoice<T> b) => a;
        public void Dispose() => GC.SuppressFinalize(this);
        protected abstract IEnumerable<TResult> Map<TResult>(Func<T, TResult> f) where TResult : struct;

        private enum State : byte
        {
            Open,
            Paid = 4,
        }

        public struct Line
        {
            public int Quantity;
        }
    }

    public interface IPrinter
    {
        string Name { get; }
        void Print(string text);
    }

    public record Person(string First, string Last);

    public record struct Point(int X, int Y)
    {
        public double Length() => Sqrt(X * X + Y * Y);
    }

    public delegate void Handler(object sender, EventArgs e);

    internal static class Extensions
    {
#if DEBUG
        public static void Dump(this string text) { Console.WriteLine(text); }
#endif
    }
}
